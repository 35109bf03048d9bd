"""What people expect of any application on a desktop: finding, help, recent files, a tray icon, media keys."""
