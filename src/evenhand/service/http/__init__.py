"""The service over HTTP: its routes, and what every request passes before it reaches one."""
