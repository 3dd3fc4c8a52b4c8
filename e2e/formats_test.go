package e2e

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"zproxy/types"
)

// formats are the forms of EXPLAIN, with the types that PostgreSQL hands them out in and how many
// nodes a plan has that is given in one.
var formats = []struct {
	name  string
	oid   types.OID
	nodes func(plan []byte) (int, error)
}{
	{"JSON", types.OIDJSON, nodesOfJSON},
	{"XML", types.OIDXML, nodesOfXML},
	{"YAML", types.OIDText, nodesOfYAML},
}

// inEveryFormat explains a statement in each format and wants a well-formed answer of the right type, with
// as many nodes as the text shows. What is measured of a query is measured once more; writes are explained
// without being made again.
func (p *player) inEveryFormat(sql string, options []string) error {
	options = slices.DeleteFunc(slices.Clone(options), func(o string) bool {
		return strings.HasPrefix(o, "FORMAT") || o == `"analyze"` && !strings.HasPrefix(sql, "SELECT")
	})
	shown, err := p.conn.Exec(p.ctx, explainOf(sql, options...)).ReadAll()
	if err != nil {
		return err
	}
	want := 1
	for _, line := range shown[0].Rows {
		if strings.HasPrefix(strings.TrimSpace(string(line[0])), "->  ") {
			want++
		}
	}
	for _, f := range formats {
		text := explainOf(sql, append(slices.Clone(options), "FORMAT "+f.name)...)
		results, err := p.conn.Exec(p.ctx, text).ReadAll()
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		r := results[0]
		if oid := types.OID(r.FieldDescriptions[0].DataTypeOID); oid != f.oid || len(r.Rows) != 1 {
			return fmt.Errorf("%s: %d rows of type %d", text, len(r.Rows), oid)
		}
		got, err := f.nodes(r.Rows[0][0])
		if err != nil || got != want || !utf8.Valid(r.Rows[0][0]) {
			return fmt.Errorf("%s: %v, %d nodes, want %d\n%s", text, err, got, want, r.Rows[0][0])
		}
	}
	return nil
}

// nodesOfJSON counts the nodes of a plan in which no object has a key twice.
func nodesOfJSON(plan []byte) (nodes int, err error) {
	var queries []map[string]any
	if err := json.Unmarshal(plan, &queries); err != nil {
		return 0, err
	}
	if len(queries) != 1 || queries[0]["Plan"] == nil {
		return 0, errors.New("not one plan")
	}
	d := json.NewDecoder(bytes.NewReader(plan))
	return nodes, uniqueKeys(d, &nodes)
}

// uniqueKeys reads a value.
func uniqueKeys(d *json.Decoder, nodes *int) error {
	token, err := d.Token()
	if err != nil || token != json.Delim('{') && token != json.Delim('[') {
		return err
	}
	keys := map[json.Token]bool{}
	for d.More() {
		if token == json.Delim('{') {
			key, err := d.Token()
			if err != nil || keys[key] {
				return fmt.Errorf("key %v twice, or %v", key, err)
			}
			if keys[key] = true; key == "Node Type" {
				*nodes++
			}
		}
		if err := uniqueKeys(d, nodes); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

func nodesOfXML(plan []byte) (nodes int, err error) {
	d := xml.NewDecoder(bytes.NewReader(plan))
	for {
		token, err := d.Token()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return nodes, err
		}
		start, ok := token.(xml.StartElement)
		if ok && start.Name.Space != "http://www.postgresql.org/2009/explain" {
			return nodes, fmt.Errorf("element %v", start.Name)
		}
		if ok && start.Name.Local == "Plan" {
			nodes++
		}
	}
}

// yamlLine is a line of the kind of YAML that PostgreSQL writes.
var yamlLine = regexp.MustCompile(`^ *(- )?(([A-Z][A-Za-z -]*): )?(true|false|-?\d[\d.]*|".*")?$`)

// nodesOfYAML counts the nodes of a plan, whose strings are quoted as in JSON.
func nodesOfYAML(plan []byte) (nodes int, err error) {
	for line := range strings.SplitSeq(string(plan), "\n") {
		found := yamlLine.FindStringSubmatch(line)
		if found == nil || found[4] != "" && !json.Valid([]byte(found[4])) {
			return nodes, fmt.Errorf("line %q", line)
		}
		if found[3] == "Node Type" {
			nodes++
		}
	}
	return nodes, nil
}
