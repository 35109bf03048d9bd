"""What people expect of any application on a desktop: finding, help, a tray icon, media keys."""
