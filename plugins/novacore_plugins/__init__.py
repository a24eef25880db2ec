"""The plugins that ship with NovaCore: ordinary plugins, each can be replaced or switched off."""
