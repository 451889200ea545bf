/**
 * The form in which a provider accepts requests. Presets contain what is known; the rest is learned
 * from refusals, because a base URL may lead to any server.
 */
import type { ProviderRefusal } from './faults/refusal.ts'

export interface ProviderQuirks {
  /**
   * All providers support Chat Completions; some OpenAI models accept tools only with the other
   * API.
   */
  readonly api: 'chat' | 'responses'
  /** `false`: reasoning is switched off, as a last resort to use tools. */
  readonly reasoning: boolean
  readonly streams: boolean
  /** Requested with `stream_options`; servers that do not know it refuse the whole request. */
  readonly reportsUsage: boolean
  /** The name of the parameter that limits an answer's tokens. */
  readonly tokenLimitField: 'max_tokens' | 'max_completion_tokens' | 'nothing'
  readonly takesPictures: boolean
  /** Keywords that are removed from the schemas of tools. */
  readonly unsupportedKeywords: readonly string[]
  /** A tool without parameters must have no schema at all. */
  readonly refusesEmptySchemas: boolean
}

export const plainQuirks: ProviderQuirks = {
  api: 'chat',
  reasoning: true,
  streams: true,
  reportsUsage: true,
  tokenLimitField: 'max_tokens',
  takesPictures: true,
  unsupportedKeywords: ['$schema', '$id'],
  refusesEmptySchemas: false,
}

/** Replaces a screenshot for a model that accepts no images. */
export const noPictureNote = '(A picture was taken of the page, but this model takes no pictures.)'

interface Lesson {
  /** Matches the words of the refusal. */
  readonly words: RegExp
  readonly unless?: RegExp
  /** `undefined` if it is set already: then the refusal means something else. */
  readonly learn: (quirks: ProviderQuirks) => Partial<ProviderQuirks> | undefined
}

/** Some servers of text-only models say that the content must be a string. */
const pictureWords = new RegExp(
  [
    String.raw`\b(images?|image_url|vision|multimodal)\b.{0,80}(support|allow|accept|expected)`,
    String.raw`(support|allow|accept|expected|unknown variant).{0,80}\b(images?|image_url|vision)\b`,
    String.raw`\bcontent\b.{0,40}must be a string`,
  ].join('|'),
  'is',
)

/** In this order: a text may match several, and the more specific ones come first. */
const lessons: readonly Lesson[] = [
  {
    // OpenAI since GPT-5.4: tools together with reasoning need the other API.
    words: /v1\/responses|reasoning_effort/i,
    learn: ({ api, reasoning }) => (api === 'chat' && reasoning ? { api: 'responses' } : undefined),
  },
  {
    words: /max_(completion_)?tokens\b.*(too large|at most|maximum allowed|less than or equal)/is,
    learn: ({ tokenLimitField }) =>
      tokenLimitField === 'nothing' ? undefined : { tokenLimitField: 'nothing' },
  },
  {
    // It names the given parameter first, and then the required one.
    words: /max_tokens.*max_completion_tokens/is,
    learn: ({ tokenLimitField }) =>
      tokenLimitField === 'max_tokens' ? { tokenLimitField: 'max_completion_tokens' } : undefined,
  },
  {
    words: /max_completion_tokens/i,
    learn: ({ tokenLimitField }) =>
      tokenLimitField === 'max_completion_tokens' ? { tokenLimitField: 'max_tokens' } : undefined,
  },
  {
    words: /stream_options|include_usage/i,
    learn: ({ reportsUsage }) => (reportsUsage ? { reportsUsage: false } : undefined),
  },
  {
    words: pictureWords,
    // It accepts images, but not this one.
    unless: /format|dimension|decode|corrupt|too large|exceeds|\bsize\b/i,
    learn: ({ takesPictures }) => (takesPictures ? { takesPictures: false } : undefined),
  },
  {
    words: /(stream\w*\b.*\btools?\b|\btools?\b.*\bstream)|stream\w* (is |are )?not supported/is,
    learn: ({ streams }) => (streams ? { streams: false } : undefined),
  },
]

/** What to change after a refusal; `undefined` if nothing can be learned from it. */
export function learnFrom(
  { status, words }: ProviderRefusal,
  quirks: ProviderQuirks,
  sentPictures: boolean,
): ProviderQuirks | undefined {
  // A proxy to OpenAI that supports only one of the APIs.
  if (quirks.api === 'responses' && (status === 404 || status === 405)) {
    return { ...quirks, api: 'chat', reasoning: false }
  }
  for (const lesson of lessons) {
    if (!lesson.words.test(words) || lesson.unless?.test(words)) continue
    const change = lesson.learn(quirks)
    if (change === undefined) continue
    if (change.takesPictures === false && !sentPictures) continue
    return { ...quirks, ...change }
  }
  return undefined
}
