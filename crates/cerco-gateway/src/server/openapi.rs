//! The API description (`OpenAPI` 3.0), made from the table of routes and the wire types.

use axum::Json;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::routes::routes;
use crate::wire::Problem;

/// The description.
#[must_use]
pub fn description() -> Value {
    let mut generator = SchemaSettings::openapi3().into_generator();
    let problem = generator.subschema_for::<Problem>();
    let mut paths: Map<String, Value> = Map::new();
    for route in routes() {
        let mut operation = json!({
            "summary": route.about,
            "responses": {
                "default": {
                    "description": "Refused or failed, and why.",
                    "content": { "application/json": { "schema": problem } },
                },
            },
        });
        let names = route
            .path
            .split('{')
            .skip(1)
            .filter_map(|p| p.split('}').next());
        let parameters: Vec<Value> = names
            .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
            .collect();
        let done = match route.reply {
            Some(schema) => json!({
                "description": "Done.",
                "content": { "application/json": { "schema": schema(&mut generator) } },
            }),
            None => json!({ "description": "Done." }),
        };
        if let Some(all) = operation.as_object_mut() {
            if !parameters.is_empty() {
                all.insert("parameters".to_owned(), parameters.into());
            }
            if let Some(schema) = route.body {
                let schema = schema(&mut generator);
                let body = json!({"content": {"application/json": {"schema": schema}}});
                // What goes over a WebSocket is no request body.
                let key = if route.method == "get" {
                    "x-messages"
                } else {
                    "requestBody"
                };
                all.insert(key.to_owned(), body);
            }
            if let Some(responses) = all.get_mut("responses").and_then(Value::as_object_mut) {
                responses.insert("2XX".to_owned(), done);
            }
        }
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(route.method.to_owned(), operation);
        }
    }
    json!({
        "openapi": "3.0.3",
        "info": {
            "title": "Cerco gateway: the people's door",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Loopback only. Every request but signing in needs the cookie and, in the header x-cerco-page, the page's key; every change the exact Origin. Agents have a door of their own without any of this.",
        },
        "paths": paths,
        "components": { "schemas": generator.take_definitions(true) },
    })
}

pub(super) async fn serve() -> Json<Value> {
    Json(description())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_and_every_schema_is_described() {
        let description = description();
        let described: usize = description["paths"]
            .as_object()
            .unwrap()
            .values()
            .map(|path| path.as_object().unwrap().len())
            .sum();
        assert_eq!(described, routes().len());
        let text = description.to_string();
        let schemas = description["components"]["schemas"].as_object().unwrap();
        for part in text.split("#/components/schemas/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(schemas.contains_key(name), "{name} is not described");
        }
        assert!(schemas.contains_key("AskCard"));
    }
}
