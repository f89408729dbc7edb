package opensea_test

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ape-claw/ape-claw/sandbox"
	"github.com/ape-claw/ape-claw/sandbox/faults"
)

// specEnv names OpenSea's published OpenAPI document, opensea-api.json of npm
// @opensea/api-types. `make check` sets it.
const specEnv = "OPENSEA_API_JSON"

// TestAnswersFitThePublishedAPI validates what the sandbox answers against the
// schemas that OpenSea publishes.
func TestAnswersFitThePublishedAPI(t *testing.T) {
	t.Parallel()
	path := os.Getenv(specEnv)
	if path == "" {
		t.Skipf("%s is not set: `make check` installs the document and sets it", specEnv)
	}
	spec := openSpec(t, path)
	w := start(t, sandbox.Options{})
	o := w.Demo().Orders[0]
	fits := func(name string, a answer, status int) {
		t.Helper()
		if a.status != status {
			t.Errorf("%s: status %d %s", name, a.status, a.body)
		}
		spec.validate(t, name, a.body)
	}
	const list = "/api/v2/listings/collection/demo-apes/"
	fits("CollectionDetailedResponse", get(t, w, "/api/v2/collections/demo-apes"), 200)
	fits("ContractResponse", get(t, w, "/api/v2/chain/ape_chain/contract/"+strings.ToLower(o.Token.Hex())), 200)
	for _, f := range []string{"expired", "future", "criteria", "lookalike"} {
		if err := w.SetFault(f); err != nil {
			t.Fatal(err)
		}
		fits("ListingsResponse", get(t, w, list+"all?limit=10"), 200)
		w.ClearFaults()
	}
	fits("ListingsResponse", get(t, w, list+"all?limit=10"), 200)
	fits("ListingsResponse", get(t, w, list+"best"), 200)
	fits("Listing", get(t, w, list+"nfts/"+o.TokenID.String()+"/best"), 200)
	fits("FulfillListingResponse", fulfill(t, w, o), 200)
	fits("V1ErrorWrapper", get(t, w, "/api/v2/collections/nothing"), 404)
	fits("V1ErrorWrapper", get(t, w, list+"all?limit=0"), 400)

	// The other functions have shapes of their own in the document, which differ
	// from what the API really answers: recipient is an object there, while
	// OpenSea's own SDK passes it on as an address, and fulfillOrder's order is a
	// listing. What is published for the rest still has to fit.
	for _, f := range []faults.Name{faults.Advanced, faults.PlainOrder} {
		if err := w.SetFault(string(f) + "*1"); err != nil {
			t.Fatal(err)
		}
		a := fulfill(t, w, o)
		spec.validatePart(t, "FulfillListingResponse", a.body, "/fulfillment_data/transaction/input_data")
	}
	for _, path := range []string{"all", "best"} {
		if err := w.SetFault("no-signature"); err != nil {
			t.Fatal(err)
		}
		fits("ListingsResponse", get(t, w, list+path), http.StatusOK)
	}
}

// TestTheSchemasRefuse shows that the test above can fail.
func TestTheSchemasRefuse(t *testing.T) {
	t.Parallel()
	path := os.Getenv(specEnv)
	if path == "" {
		t.Skipf("%s is not set", specEnv)
	}
	spec := openSpec(t, path)
	w := start(t, sandbox.Options{})
	body := get(t, w, "/api/v2/listings/collection/demo-apes/all?limit=1").body
	for _, change := range [][2]string{
		{`"status":"ACTIVE"`, `"status":"OPEN"`},
		{`"remaining_quantity":1`, `"remaining_quantity":"1"`},
		{`"conduitKey"`, `"conduit"`},
		{`"decimals":18`, `"decimals":18.5`},
	} {
		bad := bytes.Replace(body, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(bad, body) {
			t.Fatalf("%s is not in the answer", change[0])
		}
		if err := spec.check(t, "ListingsResponse", bad); err == nil {
			t.Errorf("%s was accepted", change[1])
		}
	}
}

// spec is the published document, as JSON Schema: OpenAPI 3's schemas are that,
// as far as this one goes.
type spec struct{ compiler *jsonschema.Compiler }

func openSpec(t *testing.T, path string) *spec {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("opensea.json", doc); err != nil {
		t.Fatal(err)
	}
	return &spec{c}
}

func (s *spec) check(t *testing.T, name string, body []byte) error {
	t.Helper()
	schema, err := s.compiler.Compile("opensea.json#/components/schemas/" + name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return schema.Validate(doc)
}

func (s *spec) validate(t *testing.T, name string, body []byte) {
	t.Helper()
	if err := s.check(t, name, body); err != nil {
		t.Errorf("%s: %v\n%s", name, err, body)
	}
}

// validatePart accepts differences under one place of the document.
func (s *spec) validatePart(t *testing.T, name string, body []byte, except string) {
	t.Helper()
	err := s.check(t, name, body)
	if err == nil {
		return
	}
	failed, ok := err.(*jsonschema.ValidationError)
	if !ok {
		t.Fatal(err)
	}
	for _, cause := range leaves(failed) {
		if at := "/" + strings.Join(cause.InstanceLocation, "/"); !strings.HasPrefix(at, except) {
			t.Errorf("%s: %s: %v", name, at, cause)
		}
	}
}

func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var out []*jsonschema.ValidationError
	for _, c := range e.Causes {
		out = append(out, leaves(c)...)
	}
	return out
}
