package database

import (
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types/charset"
)

// encoding looks at the option of the encoding. All databases are kept in UTF8: one that is to have another encoding is
// made where PostgreSQL makes it, with a notice.
func (d *Definer) encoding(from *catalog.Database, options []ast.RoleOption) error {
	ctype := "C.UTF-8"
	at := slices.IndexFunc(options, func(o ast.RoleOption) bool { return o.Name == "encoding" && !o.Null })
	for _, o := range options {
		if (o.Name == "locale" || o.Name == "lc_ctype") && !o.Null {
			ctype = o.Value
		}
	}
	if at < 0 {
		return nil
	}
	c, err := encodingOf(options[at])
	switch {
	case err != nil:
		return err
	case c.Name == "UTF8":
		return nil
	case slices.Contains([]string{"C.UTF-8", "C.UTF8", "C.utf8"}, ctype) && c.Name != "SQL_ASCII":
		return sqlerr.New(sqlerr.InvalidParameterValue, "encoding \"%s\" does not match locale \"%s\"", c.Name, ctype).
			WithDetail("The chosen LC_CTYPE setting requires encoding \"UTF8\".")
	case from.Name != "template0":
		return sqlerr.New(sqlerr.InvalidParameterValue,
			"new encoding (%s) is incompatible with the encoding of the template database (UTF8)", c.Name).
			WithHint("Use the same encoding as in the template database, or use template0 as template.")
	}
	return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
		"texts of database are kept in encoding \"UTF8\", not in \"%s\"", c.Name))
}

// encodingOf is the encoding that an option names or numbers, of those that databases of PostgreSQL have.
func encodingOf(o ast.RoleOption) (*charset.Charset, error) {
	c := charset.Find(o.Value)
	n, err := strconv.ParseInt(o.Value, 10, 64)
	if err == nil {
		c = charset.ByNumber(n)
	}
	switch {
	case c != nil && !c.Client:
		return c, nil
	case err == nil:
		return nil, sqlerr.New(sqlerr.UndefinedObject, "%d is not a valid encoding code", n).At(int(o.Pos))
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "%s is not a valid encoding name", o.Value).At(int(o.Pos))
}
