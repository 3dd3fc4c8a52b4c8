package names

import (
	"slices"

	"zproxy/expr"
	"zproxy/types"
)

// extensionType finds a type of an extension, along search_path if the name has no schema; nil when there is none.
func extensionType(v *View, parts []string) *types.Info {
	path, name := pathOf(v, parts)
	for _, x := range v.Catalog.Extensions() {
		if info := types.InExtension(x.Name, name); info != nil && slices.Contains(path, x.Schema) {
			return info
		}
	}
	return nil
}

// extensionPrefix is the schema of a type that an extension has, with a point, where search_path does not lead to it.
func extensionPrefix(v *View, info *types.Info) string {
	if info.Extension == "" {
		return ""
	}
	x := v.Catalog.Extension(info.Extension)
	if x == nil || slices.Contains(v.Path, x.Schema) {
		return ""
	}
	return expr.QuoteIdent(x.Schema) + "."
}
