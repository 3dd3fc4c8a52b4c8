// Package pgproc is the rows of PostgreSQL's own catalogs about functions, operators, casts and aggregates, as
// recorded from a server: pg_proc, pg_operator, pg_cast and pg_aggregate. What the functions do is in the families
// of builtin. Begin with Proc.
package pgproc

import (
	_ "embed" // of what PostgreSQL says of its functions
	"strconv"
	"strings"

	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// Proc is what pg_proc says of a function, an aggregate or a window function. What
// PostgreSQL has is recorded from there; some of it, such as what reads and prints the values
// of types, has a number and a name here and cannot be called.
type Proc struct {
	OID    uint32
	Schema string
	Name   string
	Kind   byte // f, a or w
	Signature
	Traits
	Definition
	Comment string
}

// Signature is what a function takes and gives.
type Signature struct {
	Args     []types.OID
	Result   types.OID
	Variadic types.OID
	ArgNames []string    // nil: no argument has one
	ArgModes string      // a letter for each of AllArgs; empty: all are i
	AllArgs  []types.OID // with those of the result; nil: Args
	Defaults []string    // of the last arguments, as expressions

	Arguments  string // as pg_get_function_arguments gives them
	Identity   string // as pg_get_function_identity_arguments does
	ResultText string // as pg_get_function_result does; empty: none
}

// Traits are what who plans a call may rely on.
type Traits struct {
	Volatility byte // i, s or v
	Strict     bool
	ReturnsSet bool
	Leakproof  bool
	Parallel   byte   // s, r or u
	Support    string // the name of the function that helps to plan it
	Cost, Rows float64
	Definer    bool     // it runs with the rights of its owner
	Settings   []string // name=value, while it runs
}

// Definition is what a function is made of.
type Definition struct {
	Language uint32
	Source   string
	Body     string // of a function in SQL's own syntax
}

//go:generate go test . -run TestRecorded -record

//go:embed pgdata/procs.txt
var procsText string

// InternalLanguage is the number of the language of what is built in.
const InternalLanguage = 12

// PLpgSQLLanguage is the number of PL/pgSQL, which PostgreSQL gives when it makes a database.
const PLpgSQLLanguage = 13544

// Key tells overloads apart.
func Key(kind byte, schema, name string, args []types.OID) string {
	var b strings.Builder
	b.WriteString(string(kind) + " " + OwnSchema(schema) + "." + name)
	for _, arg := range args {
		b.WriteString(" " + strconv.Itoa(int(arg)))
	}
	return b.String()
}

// OIDs are the numbers of recorded procedures by procKey.
// OIDs is a field as numbers of types.
func OIDs(all []Proc) map[string]uint32 {
	found := make(map[string]uint32, len(all))
	for _, p := range all {
		found[Key(p.Kind, p.Schema, p.Name, p.Args)] = p.OID
	}
	return found
}

// Procs reads what is recorded, in the order of the query in recorded_test.go.
func Procs() []Proc {
	var all []Proc
	for line := range strings.Lines(procsText) {
		c := Row(line)
		p := Proc{
			OID: c.Number(0), Schema: c[1], Name: c[2], Kind: c[3][0], Comment: c[22],
			Signature: Signature{
				Args: c.OIDs(4), Result: types.OID(c.Number(5)), Variadic: types.OID(c.Number(11)), ArgModes: c[13],
				AllArgs: c.OIDs(14), Arguments: c[16], Identity: c[23], ResultText: c[24],
			},
			Traits: Traits{
				Volatility: c[6][0], Strict: c.bool(7), ReturnsSet: c.bool(8), Leakproof: c.bool(9), Parallel: c[10][0],
				Support: c[25],
			},
			Definition: Definition{Language: c.Number(19), Source: c[20], Body: c[21]},
		}
		p.Cost, _ = strconv.ParseFloat(c[17], 64)
		p.Rows, _ = strconv.ParseFloat(c[18], 64)
		if c[15] != "" {
			p.Defaults = strings.Split(c[15], "\x01")
		}
		if c[12] != "" {
			p.ArgNames = strings.Split(c[12], ",")
		}
		all = append(all, p)
	}
	return all
}

// Fields is a recorded row, in the text format of COPY without NULLs.
type Fields []string

var unescape = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r")

// Row takes a recorded line apart.
func Row(line string) Fields {
	c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	for i := range c {
		if strings.Contains(c[i], `\`) {
			c[i] = unescape.Replace(c[i])
		}
	}
	return c
}

// Number is a field as a number.
func (f Fields) Number(i int) uint32 {
	n, _ := strconv.ParseUint(f[i], 10, 32)
	return uint32(n)
}

func (f Fields) bool(i int) bool { return f[i] == "t" }

// OIDs is a field as numbers of types.
func (f Fields) OIDs(i int) []types.OID {
	var out []types.OID
	for word := range strings.FieldsSeq(f[i]) {
		n, _ := strconv.ParseUint(word, 10, 32)
		out = append(out, types.OID(n))
	}
	return out
}

// OwnSchema is the schema as the table of functions has it, empty for pg_catalog.
func OwnSchema(schema string) string {
	if schema == pg.CatalogSchema {
		return ""
	}
	return schema
}
