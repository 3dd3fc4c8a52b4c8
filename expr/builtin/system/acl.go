package system

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// aclFunctions tell of grants. A list of grants is an array of texts such as bob=rw*/ann here,
// where PostgreSQL has a type of its own.
var aclFunctions = []*expr.Function{
	{Name: "acldefault", Args: pg.Sig{types.OIDChar, pg.OID}, Result: types.OIDTextArray, Volatility: expr.Immutable, Doc: "Grants on an object of a kind that an owner has, before anybody grants anything.", Fn2: defaultGrants},
	{
		Name: "aclexplode", Args: pg.Sig{types.OIDTextArray}, Params: []string{"acl"}, Result: types.OIDRecord,
		Volatility: expr.Stable,
		Out: []expr.OutColumn{{Name: "grantor", Type: pg.OID}, {Name: "grantee", Type: pg.OID},
			{Name: "privilege_type", Type: pg.Text}, {Name: "is_grantable", Type: pg.Boolean}},
		Doc: "Grants of a list, each privilege by itself.", Rows: explodeGrants,
	},
	{Name: "nameconcatoid", Args: pg.Sig{pg.Name, pg.OID}, Result: pg.Name, Doc: "Name and a number, cut to the length of a name.", Fn2: nameAndOID},
}

// The letters of the privileges in a list of grants, and their names.
const privilegeLetters = "arwdDxtXUCTcsA"

var privilegeNames = []string{
	"INSERT", "SELECT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "EXECUTE", "USAGE", "CREATE", "TEMPORARY", "CONNECT", "SET", "ALTER SYSTEM",
}

// defaultGrants knows the kinds by the letters of PostgreSQL's acldefault.
func defaultGrants(c *expr.Context, kind, owner types.Value) (types.Value, error) {
	letters, ok := map[string][2]string{ // of the public, and of the owner
		"c": {}, "r": {"", "arwdDxt"}, "s": {"", "rwU"}, "d": {"Tc", "CTc"}, "f": {"X", "X"}, "l": {"U", "U"}, "L": {"", "rw"},
		"n": {"", "UC"}, "p": {"", "sA"}, "t": {"", "C"}, "F": {"", "U"}, "S": {"", "U"}, "T": {"U", "U"},
	}[kind.Text()]
	if !ok {
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized object type abbreviation: %s",
			kind.Text())
	}
	by := strconv.FormatInt(owner.Int(), 10)
	if o := objectOf(c, classRole, owner.Int()); o != nil {
		by = QuoteGrantee(o.Name)
	}
	var items []types.Value
	if letters[0] != "" {
		items = append(items, types.NewText("="+letters[0]+"/"+by))
	}
	if letters[1] != "" {
		items = append(items, types.NewText(by+"="+letters[1]+"/"+by))
	}
	return types.NewItems(pg.Text, items), nil
}

// QuoteGrantee is the name of a role in a list of grants.
func QuoteGrantee(role string) string {
	for i := 0; i < len(role); i++ {
		c := role[i]
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return `"` + strings.ReplaceAll(role, `"`, `""`) + `"`
		}
	}
	return role
}

func explodeGrants(c *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		for _, item := range args[0].Array().Items {
			if item.IsNull() {
				yield(nil, sqlerr.New(sqlerr.NullValueNotAllowed, "ACL arrays must not contain null values"))
				return
			}
			rows, err := explodeGrant(c, item.Text())
			if err != nil {
				yield(nil, err)
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// explodeGrant reads grantee=privileges/grantor, where a star follows a privilege that may be
// granted.
func explodeGrant(c *expr.Context, item string) ([]types.Row, error) {
	grantee, rest, err := readGrantee(c, item)
	if err != nil {
		return nil, err
	}
	letters, by, found := strings.Cut(strings.TrimPrefix(rest, "="), "/")
	if !found || !strings.HasPrefix(rest, "=") {
		return nil, sqlerr.New(sqlerr.InvalidTextRepresentation, "a name must follow the \"/\" sign")
	}
	grantor, rest, err := readGrantee(c, by)
	if err != nil || rest != "" {
		return nil, err
	}
	var rows []types.Row
	for i := range len(privilegeLetters) {
		if at := strings.IndexByte(letters, privilegeLetters[i]); at >= 0 {
			star := strings.HasPrefix(letters[at+1:], "*")
			rows = append(rows, types.Row{types.NewInt(grantor), types.NewInt(grantee),
				types.NewText(privilegeNames[i]), types.NewBool(star)})
		}
	}
	return rows, nil
}

// readGrantee reads the name of a role; none is the public.
func readGrantee(c *expr.Context, s string) (role int64, rest string, err error) {
	var name strings.Builder
	quoted, i := false, 0
	for ; i < len(s) && (quoted || s[i] != '=' && s[i] != '/'); i++ {
		switch {
		case s[i] != '"':
			name.WriteByte(s[i])
		case quoted && strings.HasPrefix(s[i:], `""`):
			name.WriteByte('"')
			i++
		default:
			quoted = !quoted
		}
	}
	if name.Len() == 0 {
		return 0, s[i:], nil
	}
	id, err := find(c, classRole, expr.QuoteIdent(name.String()))
	if number, bad := strconv.ParseUint(name.String(), 10, 32); err != nil && bad == nil {
		id, err = uint32(number), nil // of a role that is gone
	}
	return int64(id), s[i:], err
}

func nameAndOID(_ *expr.Context, a, b types.Value) (types.Value, error) {
	const longest = 63
	suffix := "_" + strconv.FormatInt(b.Int(), 10)
	s := a.Text()
	for len(s)+len(suffix) > longest {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return types.NewText(s + suffix), nil
}
