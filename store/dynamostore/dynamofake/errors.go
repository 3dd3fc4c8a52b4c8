package dynamofake

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"zproxy/store/dynamostore/dynamofake/attribute"
	"zproxy/store/dynamostore/dynamofake/expression"
)

// failure is an answer that says why a request was not carried out.
type failure struct {
	status  int
	kind    string
	message string
	more    fields // what else the answer has
}

// Error implements error.
func (f *failure) Error() string { return f.kind + ": " + f.message }

// The names of errors that several places make.
const (
	validation      = "ValidationException"
	throughput      = "ProvisionedThroughputExceededException"
	throttling      = "ThrottlingException"
	requestLimit    = "RequestLimitExceeded"
	internalError   = "InternalServerError"
	conditionFailed = "ConditionalCheckFailedException"
	cancelled       = "TransactionCanceledException"
	conflict        = "TransactionConflictException"
	inProgress      = "TransactionInProgressException"
	mismatch        = "IdempotentParameterMismatchException"
	notFound        = "ResourceNotFoundException"
	inUse           = "ResourceInUseException"
	limitExceeded   = "LimitExceededException"
	serialization   = "SerializationException"
	accessDenied    = "AccessDeniedException"
)

// name is the error's name on the wire, where it stands behind that of a package.
func (f *failure) name() string {
	switch f.kind {
	case validation:
		return "com.amazon.coral.validate#" + f.kind
	case serialization, accessDenied:
		return "com.amazon.coral.service#" + f.kind
	case throttling:
		return "com.amazon.coral.availability#" + f.kind
	}
	return "com.amazonaws.dynamodb.v20120810#" + f.kind
}

func fail(kind, format string, args ...any) error {
	status := http.StatusBadRequest
	if kind == internalError {
		status = http.StatusInternalServerError
	}
	return &failure{status: status, kind: kind, message: fmt.Sprintf(format, args...)}
}

// invalid is a ValidationException.
func invalid(format string, args ...any) error { return fail(validation, format, args...) }

// inUseBy is a ResourceInUseException, which says what is under way.
func inUseBy(format string, args ...any) error {
	return fail(inUse, "Attempt to change a resource which is still in use: "+format, args...)
}

// wrongParameter is one that begins as many do.
func wrongParameter(format string, args ...any) error {
	return invalid("One or more parameter values were invalid: "+format, args...)
}

// failureOf makes an answer of an error.
func failureOf(err error) *failure {
	var f *failure
	var value *attribute.Error
	var syntax *expression.Error
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &value), errors.As(err, &syntax):
		errors.As(invalid("%v", err), &f)
	case errors.As(err, &kind):
		errors.As(fail(serialization, "Unexpected value type in payload"), &f)
	default:
		errors.As(fail(serialization, "%v", err), &f)
	}
	return f
}

// body is the answer in JSON. One kind of error spells its message with a capital.
func (f *failure) body() []byte {
	message := "message"
	if f.kind == cancelled {
		message = "Message"
	}
	return appendJSON(nil, append(fields{{"__type", f.name()}, {message, f.message}}, f.more...))
}
