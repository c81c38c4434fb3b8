"""What commands are given: options, files, inputs."""
