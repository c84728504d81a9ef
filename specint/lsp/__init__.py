"""`specint lsp`: findings, fixes and answers while a model is typed, over the Language Server Protocol."""
