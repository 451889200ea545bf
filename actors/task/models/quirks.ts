/**
 * In which form a provider takes a question. A preset says what is known beforehand; the rest is
 * learned from refusals, since one base URL may stand for any server there is.
 */
import type { Refusal } from './refusal.ts'

export interface Quirks {
  /** Chat Completions is what all of them speak; some models of OpenAI take tools elsewhere only. */
  readonly speaks: 'chat' | 'responses'
  /** `false`: it is told not to, the last way to give it tools. */
  readonly thinks: boolean
  readonly streams: boolean
  /** Asked for with `stream_options`; who does not know it refuses the whole request. */
  readonly tellsUsage: boolean
  /** The name of the limit of an answer's tokens. */
  readonly limitsTokensBy: 'max_tokens' | 'max_completion_tokens' | 'nothing'
  readonly takesPictures: boolean
  /** Dropped from the schemas of tools. */
  readonly refusedSchemaWords: readonly string[]
  /** A tool without parameters must have no schema at all. */
  readonly refusesEmptySchemas: boolean
}

export const plainQuirks: Quirks = {
  speaks: 'chat',
  thinks: true,
  streams: true,
  tellsUsage: true,
  limitsTokensBy: 'max_tokens',
  takesPictures: true,
  refusedSchemaWords: ['$schema', '$id'],
  refusesEmptySchemas: false,
}

/** Stands where a picture was, for a model that takes none. */
export const noPictureNote = '(A picture was taken of the page, but this model takes no pictures.)'

interface Lesson {
  /** Of the refusal's own words. */
  readonly words: RegExp
  readonly unless?: RegExp
  /** `undefined` when it is so already: the refusal then means something else. */
  readonly learn: (quirks: Quirks) => Partial<Quirks> | undefined
}

/** Where a model reads text alone, some servers say that the content must be a string. */
const pictureWords = new RegExp(
  [
    String.raw`\b(images?|image_url|vision|multimodal)\b.{0,80}(support|allow|accept|expected)`,
    String.raw`(support|allow|accept|expected|unknown variant).{0,80}\b(images?|image_url|vision)\b`,
    String.raw`\bcontent\b.{0,40}must be a string`,
  ].join('|'),
  'is',
)

/** In this order: a text may fit several, and the more specific ones come first. */
const lessons: readonly Lesson[] = [
  {
    // OpenAI since GPT-5.4: tools and thinking together are for the other API only.
    words: /v1\/responses|reasoning_effort/i,
    learn: ({ speaks, thinks }) =>
      speaks === 'chat' && thinks ? { speaks: 'responses' } : undefined,
  },
  {
    words: /max_(completion_)?tokens\b.*(too large|at most|maximum allowed|less than or equal)/is,
    learn: ({ limitsTokensBy }) =>
      limitsTokensBy === 'nothing' ? undefined : { limitsTokensBy: 'nothing' },
  },
  {
    // It names the one it has been given first, and then the one it wants.
    words: /max_tokens.*max_completion_tokens/is,
    learn: ({ limitsTokensBy }) =>
      limitsTokensBy === 'max_tokens' ? { limitsTokensBy: 'max_completion_tokens' } : undefined,
  },
  {
    words: /max_completion_tokens/i,
    learn: ({ limitsTokensBy }) =>
      limitsTokensBy === 'max_completion_tokens' ? { limitsTokensBy: 'max_tokens' } : undefined,
  },
  {
    words: /stream_options|include_usage/i,
    learn: ({ tellsUsage }) => (tellsUsage ? { tellsUsage: false } : undefined),
  },
  {
    words: pictureWords,
    // It takes pictures, and not this one.
    unless: /format|dimension|decode|corrupt|too large|exceeds|\bsize\b/i,
    learn: ({ takesPictures }) => (takesPictures ? { takesPictures: false } : undefined),
  },
  {
    words: /(stream\w*\b.*\btools?\b|\btools?\b.*\bstream)|stream\w* (is |are )?not supported/is,
    learn: ({ streams }) => (streams ? { streams: false } : undefined),
  },
]

/** What to do otherwise after a refusal; `undefined` when there is nothing to learn from it. */
export function learnFrom(
  { status, words }: Refusal,
  quirks: Quirks,
  sentPictures: boolean,
): Quirks | undefined {
  // A server between us and OpenAI that has the one API only.
  if (quirks.speaks === 'responses' && (status === 404 || status === 405)) {
    return { ...quirks, speaks: 'chat', thinks: false }
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
