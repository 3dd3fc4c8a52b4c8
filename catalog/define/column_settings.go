package define

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// columnParameters are PostgreSQL's of a column.
var columnParameters = []storageParameter{
	{"n_distinct", realParameter, -1, math.MaxFloat64, ofTable},
	{"n_distinct_inherited", realParameter, -1, math.MaxFloat64, ofTable},
}

const mostStatistics = 10000

// SetColumn keeps how PostgreSQL would keep a column or learn of it. No version changes: nothing is
// planned by it. The notice, if any, is about a value that is taken as another.
func (a *Alter) SetColumn(cmd ast.AlterCommand) (t *catalog.Table, notice *sqlerr.Error, err error) {
	i, err := a.Column(cmd.Name)
	if err != nil {
		return nil, nil, err
	}
	out := *a.Table
	out.Columns = slices.Clone(a.Table.Columns)
	notice, err = set(&out.Columns[i], cmd.Options)
	return &out, notice, err
}

// set changes the notes of a column.
func set(c *catalog.Column, options []ast.Option) (notice *sqlerr.Error, err error) {
	for _, o := range options {
		switch o.Name {
		case ast.StatisticsOption:
			notice, err = statisticsTarget(c, o.Value)
		case ast.StorageOption:
			err = columnStorage(c, o.Value)
		case ast.CompressionOption:
			err = columnCompression(c, o.Value)
		default:
			err = columnParameter(c, o)
		}
		if err != nil {
			return nil, err
		}
	}
	return notice, nil
}

func statisticsTarget(c *catalog.Column, value string) (notice *sqlerr.Error, err error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return nil, sqlerr.New(sqlerr.SyntaxError, "syntax error at or near \"%s\"", value)
	}
	c.Target = nil
	switch {
	case n < -1:
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "statistics target %d is too low", n)
	case n > mostStatistics:
		n = mostStatistics
		notice = sqlerr.Warn(sqlerr.InvalidParameterValue, "lowering statistics target to %d", n)
	case n < 0:
		return nil, nil
	}
	c.Target = &n
	return notice, nil
}

// storageForms are the letters of the words of SET STORAGE.
var storageForms = map[string]string{"plain": "p", "external": "e", "extended": "x", "main": "m"}

// columnStorage takes a way in which PostgreSQL would keep large values.
func columnStorage(c *catalog.Column, value string) error {
	form, ok := storageForms[strings.ToLower(value)]
	switch {
	case strings.EqualFold(value, "default"):
		c.Storage = ""
		return nil
	case !ok:
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid storage type \"%s\"", value)
	case form != "p" && types.InfoOf(c.Type.OID).Size >= 0:
		return sqlerr.New(sqlerr.FeatureNotSupported, "column data type %s can only have storage PLAIN",
			types.Of(c.Type.OID))
	}
	c.Storage = form
	return nil
}

// columnCompression takes a method by which PostgreSQL would compress large values.
func columnCompression(c *catalog.Column, value string) error {
	method := strings.ToLower(value)
	switch {
	case types.InfoOf(c.Type.OID).Size >= 0:
		return sqlerr.New(sqlerr.FeatureNotSupported, "column data type %s does not support compression",
			types.Of(c.Type.OID))
	case method == "default":
		c.Compression = ""
	case method == "pglz" || method == "lz4":
		c.Compression = method[:1]
	default:
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid compression method \"%s\"", value)
	}
	return nil
}

// columnParameter sets a parameter of a column, or with an empty value takes it away.
func columnParameter(c *catalog.Column, o ast.Option) error {
	i := slices.IndexFunc(columnParameters, func(p storageParameter) bool { return p.name == o.Name })
	if i < 0 {
		return sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized parameter %q", o.Name)
	}
	rest := slices.DeleteFunc(slices.Clone(c.Settings), func(s string) bool {
		return strings.HasPrefix(s, o.Name+"=")
	})
	if c.Settings = rest; o.Value == "" {
		return nil
	}
	c.Settings = append(rest, o.Name+"="+o.Value)
	return columnParameters[i].check(o)
}
