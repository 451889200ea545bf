/**
 * The sample configurations of `runtime/deploy/proxies`, run by the programs they are for, on
 * loopback and with a certificate of the tests.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { packageRoot } from '../../../../runtime/lib/package.ts'
import { certificate, key } from '../../lib/self-signed.ts'
import { until } from '../../lib/until.ts'
import { run, type Teardown } from '../../nats/nats.ts'

export interface ReverseProxy {
  readonly url: string
  /** Everything that it has logged. */
  logs(): string
}

export interface ProxyPorts {
  readonly port: number
  readonly servicePort: number
}

interface ProxyProgram {
  readonly sample: string
  /** Each is replaced in the sample; it is an error if it is not there. */
  readonly edits: (dir: string, ports: ProxyPorts) => readonly (readonly [RegExp, string])[]
  /** What comes before the sample, or includes it, and how it is started. */
  readonly main: (dir: string, edited: string) => string
  readonly args: (config: string) => readonly string[]
}

const certificateOf = (dir: string) => [join(dir, 'cert.pem'), join(dir, 'key.pem')] as const

export const proxyPrograms = {
  nginx: {
    sample: 'nginx.conf',
    edits(dir, { port, servicePort }) {
      const [cert, secret] = certificateOf(dir)
      return [
        [/server \{\n\s+listen 80;[^}]*\}\n/, ''],
        [/\n\s+listen \[::\]:443 ssl http2;/, ''],
        [/listen 443/, `listen 127.0.0.1:${port}`],
        [/browsers\.example\.com;/, 'localhost;'],
        [/ssl_certificate [^;]+/, `ssl_certificate ${cert}`],
        [/ssl_certificate_key [^;]+/, `ssl_certificate_key ${secret}`],
        [/\/var\/log\/nginx\//g, `${dir}/`],
        [/127\.0\.0\.1:8080/, `127.0.0.1:${servicePort}`],
      ]
    },
    main(dir, edited) {
      const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const temporary = kinds.map((kind) => `${kind}_temp_path ${dir}/${kind};`)
      return `daemon off; master_process off; pid ${dir}/pid; error_log ${dir}/start.log;
events {}
http { ${temporary.join(' ')}
${edited}
}`
    },
    args: (config) => ['-c', config, '-e', `${config}.log`],
  },
  caddy: {
    sample: 'Caddyfile',
    edits(dir, { port, servicePort }) {
      return [
        [
          /^browsers\.example\.com \{/m,
          `https://localhost:${port} {\n\ttls ${certificateOf(dir).join(' ')}`,
        ],
        [/127\.0\.0\.1:8080/, `127.0.0.1:${servicePort}`],
        [/\t# (log|\}|\t)/g, '\t$1'],
        [/\tlog \{/, `\tlog {\n\t\toutput file ${dir}/access.log`],
      ]
    },
    main: (_dir, edited) =>
      `{\n\tadmin off\n\tauto_https off\n\tdefault_bind 127.0.0.1\n}\n${edited}`,
    args: (config) => ['run', '--adapter', 'caddyfile', '--config', config],
  },
} as const satisfies Readonly<Record<string, ProxyProgram>>
export type ProxyName = keyof typeof proxyPrograms

/** Undefined where it is not installed. */
export function findProxy(name: ProxyName): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** Resolves when it answers. */
export async function startProxy(
  t: Teardown,
  name: ProxyName,
  ports: ProxyPorts,
): Promise<ReverseProxy> {
  const { sample, edits, main, args } = proxyPrograms[name]
  const dir = mkdtempSync(join(tmpdir(), `troupe-${name}-`))
  const [certFile, keyFile] = certificateOf(dir)
  writeFileSync(certFile, certificate)
  writeFileSync(keyFile, key)
  let text = readFileSync(join(packageRoot, 'runtime', 'deploy', 'proxies', sample), 'utf8')
  for (const [pattern, replacement] of edits(dir, ports)) {
    const edited = text.replace(pattern, replacement)
    if (edited === text) throw new Error(`${sample} has nothing like ${pattern}`)
    text = edited
  }
  const config = join(dir, sample)
  writeFileSync(config, main(dir, text))
  let output = ''
  const child = run(findProxy(name)!, args(config), { HOME: dir, XDG_DATA_HOME: dir })
  for (const stream of [child.process.stdout!, child.process.stderr!]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  }
  const logs = () => {
    const files = ['troupe.log', 'troupe-error.log', 'start.log', 'access.log']
    const paths = files.map((file) => join(dir, file)).filter((path) => existsSync(path))
    return [output, ...paths.map((path) => readFileSync(path, 'utf8'))].join('\n')
  }
  t.teardown(async () => {
    await child.kill()
    rmSync(dir, { recursive: true, force: true })
  })
  const url = `https://localhost:${ports.port}`
  await until(`${name} answers:\n${logs()}`, async () => {
    if (child.process.exitCode !== null) throw new Error(`${name} ended:\n${logs()}`)
    const answer = await fetch(`${url}/health/live`).catch(() => undefined)
    return answer?.status === 200
  })
  return { url, logs }
}
