// Which Node the measured processes are.
console.log(JSON.stringify({ version: process.version }));
