// Loads the test files named in TEST_FILES, which share this process.

for (const file of JSON.parse(process.env.TEST_FILES!) as string[]) await import(`../../${file}`)
