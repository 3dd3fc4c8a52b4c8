package types

import (
	"zproxy/sqlerr"
	"zproxy/types/textsearch/query"
	"zproxy/types/textsearch/vector"
)

// searchTypes are documents and queries of text search. Both are held as bytes in their order.
var searchTypes = []Info{
	{
		OID: OIDTSVector, Name: "tsvector", SQL: "tsvector", Array: 3643,
		Kind: KindBytes, Category: CategoryUser, Size: -1,
		forms: forms{
			appendText: heldText(vector.AppendText), parseText: heldRead(vector.Parse),
			appendBinary: heldBinary(vector.AppendBinary), parseBinary: heldReceived(vector.ParseBinary),
		},
	},
	{
		OID: OIDTSQuery, Name: "tsquery", SQL: "tsquery", Array: 3645,
		Kind: KindBytes, Category: CategoryUser, Size: -1,
		forms: forms{
			appendText: heldText(query.AppendText), parseText: parseTSQuery,
			appendBinary: heldBinary(query.AppendBinary), parseBinary: heldReceived(query.ParseBinary),
		},
	},
}

func parseTSQuery(s string, env *Env) (Value, error) {
	held, err := query.Parse(s)
	if err == nil && query.Size(held) == 0 {
		env.Note(sqlerr.Notice(sqlerr.SuccessfulCompletion, "text-search query doesn't contain lexemes: \"%s\"", s))
	}
	return bytesValue(held, err)
}
