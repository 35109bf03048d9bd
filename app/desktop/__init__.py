"""Standard features of a desktop app: find, help, a tray icon and media keys."""
