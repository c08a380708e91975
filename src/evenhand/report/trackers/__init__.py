"""A result in the tools in which experiments are kept: numbers by finding, verdicts as tags, files beside."""
