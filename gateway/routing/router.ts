/**
 * Finds the route for a method and a path. Literal segments win over parameters, independent of the
 * order in the table.
 */
import { ServiceError } from '../../proto/errors.ts'
import type { Route } from './route.ts'

export interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

interface Pattern {
  readonly segments: readonly string[]
  readonly byMethod: ReadonlyMap<string, Route>
}

interface Found {
  readonly pattern: Pattern
  readonly params: Readonly<Record<string, string>>
}

export class Router {
  /** Patterns without parameters, by their whole path. */
  readonly #literal = new Map<string, Pattern>()
  readonly #patterns: readonly Pattern[]

  constructor(routes: readonly Route[]) {
    const byPath = new Map<string, Map<string, Route>>()
    for (const route of routes) {
      const byMethod = byPath.get(route.path) ?? new Map<string, Route>()
      byPath.set(route.path, byMethod.set(route.method, route))
    }
    const patterns = [...byPath].map(([path, byMethod]) => ({
      segments: path.split('/'),
      byMethod,
    }))
    this.#patterns = patterns
      .filter(({ segments }) => parameters(segments) > 0)
      .sort((a, b) => parameters(a.segments) - parameters(b.segments))
    for (const pattern of patterns) {
      if (parameters(pattern.segments) === 0) this.#literal.set(pattern.segments.join('/'), pattern)
    }
  }

  /** Throws `not_found` or `method_not_allowed`. HEAD is handled as GET. */
  match(method: string, path: string): Match {
    const { pattern, params } = this.#find(path)
    const route = pattern.byMethod.get(method === 'HEAD' ? 'GET' : method)
    if (route) return { route, params }
    const allow = allowHeader(pattern)
    throw new ServiceError('method_not_allowed', `${path} only accepts ${allow}.`, { allow })
  }

  /** The methods that a path accepts, for OPTIONS. */
  allow(path: string): string {
    return allowHeader(this.#find(path).pattern)
  }

  has(path: string): boolean {
    return this.#patternOf(path) !== undefined
  }

  #find(path: string): Found {
    const found = this.#patternOf(path)
    if (found) return found
    throw new ServiceError('not_found', 'There is no such path; /openapi.json lists all paths.')
  }

  #patternOf(path: string): Found | undefined {
    const literal = this.#literal.get(path)
    if (literal) return { pattern: literal, params: {} }
    const segments = path.split('/')
    for (const pattern of this.#patterns) {
      const params = matchSegments(pattern.segments, segments)
      if (params) return { pattern, params }
    }
    return undefined
  }
}

const isParameter = (segment: string) => segment.startsWith('{')
const parameters = (segments: readonly string[]) => segments.filter(isParameter).length

/** A last segment `{name...}` stands for one or more segments, which are not decoded. */
function matchSegments(pattern: readonly string[], segments: readonly string[]) {
  const last = pattern.length - 1
  const isOpen = pattern[last]!.endsWith('...}')
  if (isOpen ? segments.length <= last : segments.length !== pattern.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, expected] of pattern.entries()) {
    const given = segments[i]!
    if (isOpen && i === last) params[expected.slice(1, -4)] = segments.slice(last).join('/')
    else if (isParameter(expected)) params[expected.slice(1, -1)] = decodeSegment(given)
    else if (expected !== given) return undefined
  }
  return params
}

/** A segment that cannot be decoded is left as it is: no id matches it, so it is an unknown id. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function allowHeader({ byMethod }: Pattern): string {
  const head = byMethod.has('GET') ? ['HEAD'] : []
  return [...byMethod.keys(), ...head, 'OPTIONS'].join(', ')
}
