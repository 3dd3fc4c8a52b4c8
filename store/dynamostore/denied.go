package dynamostore

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"

	"zproxy/store"
)

// actionDenied is what AWS says of a request that the rights of the credentials do not include.
var actionDenied = regexp.MustCompile(`not authorized to perform: (\S+)(?: on resource: (\S+))?`)

// foreignCredentials are the codes of requests whose credentials AWS does not know, or not any more.
func foreignCredentials() []string {
	return []string{
		"UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException", "ExpiredToken",
		"MissingAuthenticationTokenException", "IncompleteSignatureException", "InvalidClientTokenId", "SignatureDoesNotMatch",
	}
}

// denied is the error of a request that AWS does not let these credentials make: what is not allowed, and
// where, or what is wrong with the credentials. It leaves out who they are, which is no matter of clients.
// Credentials that are not accepted, such as those that have expired, keep the store out of reach until there
// are others: what goes on by itself tries again.
func (r *request) denied(err error) error {
	var e smithy.APIError
	switch {
	case !errors.As(err, &e):
		return nil
	case slices.Contains(foreignCredentials(), e.ErrorCode()):
		return fmt.Errorf("%w: %w", &store.Denied{Reason: e.ErrorCode() + ": " + e.ErrorMessage()},
			store.ErrUnreachable)
	case e.ErrorCode() == "AccessDeniedException":
		return r.notAllowed(e.ErrorMessage())
	}
	return nil
}

func (r *request) notAllowed(message string) *store.Denied {
	action, table := "dynamodb:"+r.operation, ""
	if at := targets(r.input); len(at) > 0 &&
		!slices.ContainsFunc(at, func(t target) bool { return t.table != at[0].table }) {
		table = at[0].table
	}
	if m := actionDenied.FindStringSubmatch(message); m != nil {
		action = m[1]
		if named := tableOf(aws.String(m[2])); tableName.MatchString(named) {
			table = named
		}
	}
	if table == "" {
		return &store.Denied{Reason: action + " is not allowed", Grant: policy(action, "*")}
	}
	return &store.Denied{Space: r.pressure.space(table), Reason: action + " on the table " + table + " is not allowed",
		Grant: policy(action, "arn:aws:dynamodb:*:*:table/"+table)}
}

// policy is the statement of an IAM policy that allows an action.
func policy(action, resource string) string {
	return fmt.Sprintf(`{"Effect": "Allow", "Action": %q, "Resource": %q}`, action, resource)
}
