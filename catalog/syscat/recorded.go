package syscat

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/types"
)

// relationsText has a line for each relation: its OID, schema, name and kind; and below it
// one for each column: its name, type, length where the type has one, and ! for NOT NULL.
// TestRelations records it.
//
//go:embed relations.txt
var relationsText string

// recorded reads relationsText.
func recorded() []*catalog.Virtual { return readRelations(relationsText) }

func readRelations(text string) []*catalog.Virtual {
	known := map[string]types.OID{}
	for _, info := range types.All() {
		known[info.Name] = info.OID
	}
	var all []*catalog.Virtual
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if strings.HasPrefix(line, "\t") {
			v := all[len(all)-1]
			v.Columns = append(v.Columns, readColumn(words, known))
			continue
		}
		id, err := strconv.ParseUint(words[0], 10, 32)
		if err != nil {
			panic(fmt.Sprintf("syscat: %q: %v", line, err))
		}
		kind := catalog.TableKind
		if words[3] == "v" {
			kind = catalog.ViewKind
		}
		all = append(all, &catalog.Virtual{ID: uint32(id), Schema: words[1], Name: words[2], Kind: kind})
	}
	return all
}

func readColumn(words []string, known map[string]types.OID) catalog.VirtualColumn {
	oid, ok := known[words[1]]
	if !ok {
		oid = types.OIDText // of a type that zproxy has not; text is how clients read it
		if strings.HasPrefix(words[1], "_") {
			oid = types.OIDTextArray
		}
	}
	c := catalog.VirtualColumn{Name: words[0], Type: types.Of(oid)}
	for _, word := range words[2:] {
		if word == "!" {
			c.NotNull = true
			continue
		}
		if mod, err := strconv.Atoi(word); err == nil {
			c.Type.Mod = int32(mod)
		}
	}
	return c
}

// systemSchemas are the schemas that are always there, with PostgreSQL's OIDs; zproxy's own
// has one that PostgreSQL does not use.
func systemSchemas() []*catalog.Schema {
	return []*catalog.Schema{
		{ID: catalog.PgCatalogID, Name: catalog.PgCatalogName, Comment: "system catalog schema", Rights: catalog.SystemRights()},
		{ID: 99, Name: "pg_toast", Comment: "reserved schema for TOAST tables"},
		{ID: 13207, Name: "information_schema", Rights: catalog.SystemRights()},
		{ID: ownSchemaID, Name: ownSchema, Comment: "what zproxy tells of itself", Rights: catalog.SystemRights()},
	}
}

// zproxy's own schema.
const (
	ownSchema   = catalog.OwnName
	ownSchemaID = 9000
)
