// The server fixture under Node: `node:http` in front of `server.fetch`, on a free loopback port.

import { serveFetch } from "../interop/http.mjs";
import { server } from "./everything.mjs";

const { url } = await serveFetch((request) => server.fetch(request));
console.log(`listening ${url}`);
