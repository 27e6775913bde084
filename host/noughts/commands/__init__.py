"""The subcommands: each module has `add_arguments(parser)` and `run(args)`, the exit status."""
