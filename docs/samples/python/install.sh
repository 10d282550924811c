pip install https://pay.example.ci/sdk/python-0.1.0-f79b47a1/bandama-0.1.0-py3-none-any.whl
