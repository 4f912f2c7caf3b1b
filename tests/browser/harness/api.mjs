// The server's API as the tests use it to prepare what the dashboard then shows.

import assert from "node:assert/strict";

export class Api {
  constructor(url, token) {
    this.root = `${url}/api/v1`;
    this.token = token;
  }

  async call(method, path, body) {
    const response = await fetch(this.root + path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  get = (path) => this.call("GET", path);
  post = (path, body) => this.call("POST", path, body ?? {});

  application = (fields) => this.post("/app", fields);
  endpoint = (app, fields) => this.post(`/app/${app.id}/endpoint`, fields);
  message = (app, fields) => this.post(`/app/${app.id}/msg`, { eventType: "order.paid", payload: { order: 17 }, ...fields });
  delivery = (app, message, endpoint) => this.get(`/app/${app.id}/delivery/${message.id}/${endpoint.id}`);
  health = (app, endpoint) => this.get(`/app/${app.id}/endpoint/${endpoint.id}/health`);
}
