"""Types and texts against JSON Schema: from signature to schema, from argument text to values.

From a function to what the model sees::

    signature    a callable → its parameters and the schema of them all
      hints        annotations → types, wherever they were written
      annotations  one type apart from what is said about the parameter
      expansion    parameters that a signature does not spell out
      injected     parameters that are filled in for the model
      docstring    what the docstring says of each
      parameters   the result: `Parameter`; and `Param`, by which authors say more
    types        a type → its pydantic adapter and schema, cached
      generate     pydantic's schema, with marks for what JSON Schema cannot say
      marks        those marks

From a text to values::

    arguments    `ArgumentReader`: the four steps, and every problem at once
      exact        the fast path for texts that are right as they are
      json_text    1  text → JSON, with harmless slips put right
      numbers         numbers that keep their text
      surrogates      halves of characters
      envelope     2  wrappers and misspelt names around the arguments
      argument_plan   one slot a parameter: walk, default, validation
      compile         a schema → a walk, which checks and repairs a value
      walk            what all walks share; `walk_scalars`, `walk_texts`, `walk_choices`,
                      `walk_arrays`, `walk_objects`, `walk_unions`: one kind of value each
      repairs         the note of a repair
      final        3  validation by pydantic
      wanted          what a schema wants, in words
      explain         paths, shortened values, nearest names

From a schema to what a provider takes::

    project      the entry; `project_root`, `project_refs`, `project_strict`, `project_types`
    names        tool names as a provider takes them, and back
    foreign      type names of other languages

A *walk* is a function `(value, path, findings) → value`. It notes problems and repairs in the
findings and never raises for a wrong value, so that one reading finds everything. A union tries its
members with findings of their own, and keeps those of the one that was meant.
"""
