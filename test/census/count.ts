/** What one source file holds, by its syntax tree. */
import { parseSync, Visitor } from 'oxc-parser'

export interface FileCount {
  /** Without blank lines. */
  readonly lines: number
  readonly statements: number
  /** `x as T`, but not `as const`. */
  readonly casts: number
  /** `x!` */
  readonly nonNulls: number
  /** Calls of tap's assertions: `t.equal(…)`. */
  readonly assertions: number
}

const asserting =
  /^(ok|notOk|equal|not|same|notSame|strictSame|strictNotSame|match|notMatch|has|hasStrict|type|throws|doesNotThrow|rejects|resolves|resolveMatch|fail|pass|emits|error)$/

/** Throws for a file that does not parse. */
export function countFile(path: string, text: string): FileCount {
  const { program, errors } = parseSync(path, text)
  const [error] = errors
  if (error) throw new Error(`${path}: ${error.message}`)
  const count = { statements: 0, casts: 0, nonNulls: 0, assertions: 0 }
  const statement = () => void count.statements++
  new Visitor({
    ...Object.fromEntries(statementKinds.map((kind) => [kind, statement])),
    TSAsExpression({ typeAnnotation }) {
      const isConst =
        typeAnnotation.type === 'TSTypeReference' &&
        typeAnnotation.typeName.type === 'Identifier' &&
        typeAnnotation.typeName.name === 'const'
      if (!isConst) count.casts++
    },
    TSNonNullExpression: () => void count.nonNulls++,
    CallExpression({ callee }) {
      if (callee.type !== 'MemberExpression' || callee.computed) return
      const { object, property } = callee
      const isTap = object.type === 'Identifier' && object.name === 't'
      if (isTap && property.type === 'Identifier' && asserting.test(property.name)) {
        count.assertions++
      }
    },
  }).visit(program)
  const lines = text.split('\n').filter((line) => line.trim() !== '').length
  return { lines, ...count }
}

/** Declarations count as well; blocks and imports do not. */
const statementKinds = [
  ...['ExpressionStatement', 'IfStatement', 'ReturnStatement', 'ThrowStatement', 'TryStatement'],
  ...['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement'],
  ...['SwitchStatement', 'BreakStatement', 'ContinueStatement', 'VariableDeclaration'],
  ...['FunctionDeclaration', 'ClassDeclaration', 'MethodDefinition', 'PropertyDefinition'],
  ...['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'],
]
