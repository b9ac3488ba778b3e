"""Toolbox: tools and policies without a model."""
