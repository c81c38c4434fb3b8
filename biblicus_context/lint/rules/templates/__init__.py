"""Rules about placeholders, Jinja2 and inputs."""
