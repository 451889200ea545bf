/**
 * Goal: the lines in the guides for languages whose clients are not run here are at least written
 * correctly. Method: the parser of each language, where its compiler is installed; none of ours
 * knows C#.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'

const folder = mkdtempSync(join(tmpdir(), 'troupe-snippets-'))
t.teardown(() => rmSync(folder, { recursive: true }))

const guides = join(packageRoot, 'gateway/docs/guides')
const snippetsOf = (language: string) =>
  readdirSync(guides)
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => {
      const text = readFileSync(join(guides, name), 'utf8')
      const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))
      return [...blocks].map(([, code = '']) => code)
    })

/** Prints each error of a source file, found without resolving what it names. */
const javaParser = `
import com.sun.source.util.JavacTask;
import java.nio.file.Path;
import javax.tools.*;
public class Parse {
  public static void main(String[] files) throws Exception {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var found = new DiagnosticCollector<JavaFileObject>();
    var sources = compiler.getStandardFileManager(found, null, null);
    var task = compiler.getTask(null, sources, found, null, null,
        sources.getJavaFileObjects(Path.of(files[0])));
    ((JavacTask) task).parse();
    for (var one : found.getDiagnostics()) System.out.println(one);
  }
}`

interface Language {
  readonly name: string
  readonly program: string
  /** What has to be installed. */
  readonly compiler: string
  /** Its source file for these lines. */
  source(code: string): { readonly file: string; readonly text: string }
  /** The arguments that print the errors of a file. */
  check(file: string): readonly string[]
}

const parserFile = join(folder, 'Parse.java')
writeFileSync(parserFile, javaParser)

const languages: readonly Language[] = [
  {
    ...{ name: 'java', program: 'java', compiler: 'javac' },
    source: (code) => ({
      file: 'Snippet.java',
      text: `class Snippet { void run(String cdpUrl) {\n${code}\n} }`,
    }),
    check: (file) => ['--source', '17', parserFile, file],
  },
  {
    ...{ name: 'go', program: 'gofmt', compiler: 'gofmt' },
    source: (code) => ({
      file: 'snippet.go',
      text: `package main\n\nfunc run(cdpURL string) {\n${code}\n}`,
    }),
    check: (file) => ['-e', file],
  },
]

for (const { name, program, compiler, source, check } of languages) {
  const errorsIn = (code: string) => {
    const { file, text } = source(code)
    const path = join(folder, file)
    writeFileSync(path, text)
    const { status, stdout, stderr } = spawnSync(program, check(path), { encoding: 'utf8' })
    return status === 0 && name === 'java' ? stdout.trim() : stderr.trim()
  }
  const isHere = spawnSync(compiler, ['--help']).error === undefined
  t.test(name, { skip: isHere ? false : `there is no ${compiler} here` }, async (t) => {
    const snippets = snippetsOf(name)
    t.ok(snippets.length > 0)
    for (const code of snippets) {
      t.equal(errorsIn(code), '', code)
      t.not(errorsIn(code.replace(')', '')), '', 'an error is found')
    }
  })
}
