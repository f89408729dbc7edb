package skill

import _ "embed" // the schema

//go:embed skillcard.schema.json
var schema []byte

// Schema is the JSON Schema (2020-12) of a skill card. What it can't say, such as
// that no key is there twice, Parse checks beside it.
func Schema() []byte { return append([]byte(nil), schema...) }
