package syscat

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// viewTexts are the relations that queries fill, each as a CREATE VIEW that ends with a
// semicolon at the end of a line.
//
//go:embed views/*.sql
var viewTexts embed.FS

// views are the definitions in viewTexts.
func views() []definition {
	files, err := fs.Glob(viewTexts, "views/*.sql")
	if err != nil {
		panic(fmt.Sprintf("syscat: %v", err))
	}
	var all []definition
	for _, file := range files {
		text, err := viewTexts.ReadFile(file)
		if err != nil {
			panic(fmt.Sprintf("syscat: %v", err))
		}
		for _, view := range strings.Split(string(text), "CREATE VIEW ")[1:] {
			head, query, _ := strings.Cut(view, " AS\n")
			query, _, ended := strings.Cut(query, ";\n")
			schema, name, named := strings.Cut(head, ".")
			if !ended || !named {
				panic(fmt.Sprintf("syscat: %s: view %q does not end", file, head))
			}
			all = append(all, definition{schema: schema, name: name, query: query})
		}
	}
	return all
}
