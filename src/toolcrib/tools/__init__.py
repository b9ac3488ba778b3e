"""Tools: what they are, where they come from, what they give back.

::

    definition   a tool as data          tool         what every tool is     context    what it may know
    function     `@tool`                 plan         what is known of it    declaration  its options
    injection    what is filled in       define       tools by hand-written schema
    methods      what may stand in `tools=[…]`        listing      … as toolsets
    toolset      lists of tools          toolset_base what they share        wrappers   functions over them
    catalog      the tools of one run    visibility   which of them are seen
    execution    the record of a call    results      value → what is told   signals    what authors raise
"""
