package ddl

import "zproxy/parser/ast"

// transactionNames are what statements about transactions are called in errors.
var transactionNames = [...]string{ast.Begin: "BEGIN", ast.Start: "START TRANSACTION", ast.Commit: "COMMIT",
	ast.Rollback: "ROLLBACK", ast.Savepoint: "SAVEPOINT", ast.Release: "RELEASE", ast.RollbackTo: "ROLLBACK",
	ast.SetTransaction: "SET", ast.SetSnapshot: "SET", ast.SetCharacteristics: "SET"}

// CommandName is what a statement is called in errors about functions.
func CommandName(tree ast.Statement) string {
	switch tree := tree.(type) {
	case *ast.Transaction:
		if tree.Kind == ast.TwoPhase {
			return tree.Verb
		}
		return transactionNames[tree.Kind]
	case *ast.Select:
		return "SELECT"
	case *ast.Insert:
		return "INSERT"
	case *ast.Update:
		return "UPDATE"
	case *ast.Delete:
		return "DELETE"
	case *ast.Merge:
		return "MERGE"
	case *ast.CallProcedure:
		return "CALL"
	case *ast.Do:
		return "DO"
	case *ast.Copy:
		return "COPY"
	case *ast.Set:
		if tree.Reset {
			return "RESET"
		}
		return "SET"
	}
	return Tag(tree)
}
