// The server fixture under Node, with sessions: `node:http` in front of `server.fetch`, on a free loopback port.

import { serveFetch } from "../interop/http.mjs";
import { everything } from "./everything.mjs";

const server = everything({ legacy: "sessions" });
const { url } = await serveFetch((request) => server.fetch(request));
console.log(`listening ${url}`);
