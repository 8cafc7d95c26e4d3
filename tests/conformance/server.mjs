// The server fixture under Node: `node:http` in front of `server.fetch`, on a free loopback port.

import { server } from "./everything.mjs";
import { serveFetch } from "../interop/http.mjs";

const { url } = await serveFetch((request) => server.fetch(request));
console.log(`listening ${url}`);
