package types

import "strings"

// citextTypes are the texts of the extension citext.
var citextTypes = []Info{
	{
		OID: OIDCitext, Name: CitextName, SQL: CitextName, Array: 8103, Extension: CitextName,
		Kind: KindCitext, Category: CategoryString, Size: -1,
		forms: forms{
			appendText: appendString, parseText: parseCitext,
			appendBinary: appendBinaryBytes, parseBinary: parseBinaryCitext,
		},
	},
}

// citextCasts are those to and from other types of texts.
var citextCasts = []castRow{
	{OIDCitext, OIDText, Cast{Implicit, citextToText}},
	{OIDCitext, OIDVarchar, Cast{Implicit, citextToText}},
	{OIDCitext, OIDBpchar, Cast{Assignment, textToBpchar}},
	{OIDText, OIDCitext, Cast{Assignment, textToCitext}},
	{OIDVarchar, OIDCitext, Cast{Assignment, textToCitext}},
	{OIDBpchar, OIDCitext, Cast{Assignment, bpcharToCitext}},
	{OIDBool, OIDCitext, Cast{Assignment, throughText(boolToText)}},
	{OIDInet, OIDCitext, Cast{Assignment, throughText(networkToText)}},
}

// CitextName is the name of the extension and of its type.
const CitextName = "citext"

// NewCitext makes a text that is compared without regard to case.
func NewCitext(s string) Value {
	v := NewText(s)
	v.kind = KindCitext
	return v
}

// Compared is what of a text is compared: of a char(n) what is before its blanks, of a citext its lower case.
func (v Value) Compared() string {
	switch v.kind {
	case KindBpchar:
		return TrimBlanks(v.Text())
	case KindCitext:
		return strings.ToLower(v.Text())
	case KindCollated:
		if v.b&blanksBit != 0 {
			return TrimBlanks(v.Text())
		}
	}
	return v.Text()
}

func asCitext(v Value, err error) (Value, error) {
	if err != nil {
		return Null, err
	}
	return NewCitext(v.Text()), nil
}

func parseCitext(s string, env *Env) (Value, error) { return asCitext(parseString(s, env)) }

func parseBinaryCitext(p []byte) (Value, error) { return asCitext(parseBinaryString(p)) }

// throughText is a cast to citext by one to text.
func throughText(cast func(v Value, to T, env *Env) (Value, error)) func(v Value, to T, env *Env) (Value, error) {
	return func(v Value, to T, env *Env) (Value, error) { return asCitext(cast(v, to, env)) }
}

func citextToText(v Value, _ T, _ *Env) (Value, error) { return NewText(v.Text()), nil }

func textToCitext(v Value, _ T, _ *Env) (Value, error) { return NewCitext(v.Text()), nil }

func bpcharToCitext(v Value, _ T, _ *Env) (Value, error) { return NewCitext(TrimBlanks(v.Text())), nil }
