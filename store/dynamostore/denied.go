package dynamostore

import (
	"errors"
	"regexp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"

	"zproxy/store"
)

// notAllowed is what AWS says of a request that the rights of the credentials do not include.
var notAllowed = regexp.MustCompile(`not authorized to perform: (\S+)(?: on resource: (\S+))?`)

// foreignCredentials are the codes of requests whose credentials AWS does not know, or not any more.
func foreignCredentials() []string {
	return []string{
		"UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException", "ExpiredToken",
		"MissingAuthenticationTokenException", "IncompleteSignatureException", "InvalidClientTokenId", "SignatureDoesNotMatch",
	}
}

// denied is the error of a request that AWS does not let these credentials make: what is not allowed, and
// where, or what is wrong with the credentials. It leaves out who they are, which is no matter of clients.
func (r *request) denied(err error) *store.Denied {
	var e smithy.APIError
	switch {
	case !errors.As(err, &e):
		return nil
	case slices.Contains(foreignCredentials(), e.ErrorCode()):
		return &store.Denied{Reason: e.ErrorCode() + ": " + e.ErrorMessage()}
	case e.ErrorCode() != "AccessDeniedException":
		return nil
	}
	action, table := "dynamodb:"+r.operation, ""
	if at := targets(r.input); len(at) > 0 && !slices.ContainsFunc(at, func(t target) bool { return t.table != at[0].table }) {
		table = at[0].table
	}
	if m := notAllowed.FindStringSubmatch(e.ErrorMessage()); m != nil {
		action = m[1]
		if told := tableOf(aws.String(m[2])); tableName.MatchString(told) {
			table = told
		}
	}
	if table == "" {
		return &store.Denied{Reason: action + " is not allowed"}
	}
	return &store.Denied{Space: r.pressure.space(table), Reason: action + " on the table " + table + " is not allowed"}
}
