package session

import (
	"fmt"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types"
)

// TextOfCall is the statement that calls a function, which is known by its number, with parameters as its arguments,
// of which it gives the number.
func TextOfCall(s *Session, function uint32) (text string, args int, err error) {
	if err := s.txn.RefuseFailed(); err != nil {
		return "", 0, err
	}
	signature := s.reach.view().NameOf(types.OIDRegprocedure, function)
	name, list, ok := strings.Cut(strings.TrimSuffix(signature, ")"), "(")
	if !ok {
		return "", 0, sqlerr.New(sqlerr.UndefinedFunction, "function with OID %d does not exist", function)
	}
	var params []string
	if list != "" {
		for i, t := range strings.Split(list, ",") {
			params = append(params, fmt.Sprintf("$%d::%s", i+1, t))
		}
	}
	return "SELECT " + name + "(" + strings.Join(params, ", ") + ")", len(params), nil
}
