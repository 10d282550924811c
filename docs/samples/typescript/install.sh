npm install https://pay.example.ci/sdk/node-0.1.0-f79b47a1.tgz
