import { ofFacts, type PageRule } from './rule.ts'

export const mediaPageRules: readonly PageRule[] = [
  {
    id: 'image_alt_missing',
    category: 'media',
    severity: 'medium',
    title: 'Images without an alt text',
    description: 'People who do not see the image, and search engines, do not know what it shows.',
    recommendation:
      'Say what the image shows; an empty alt marks an image that is only decoration.',
    check: ofFacts(({ images }) => images.withoutAlt),
  },
  {
    id: 'image_broken',
    category: 'media',
    severity: 'high',
    title: 'Images that do not load',
    description: 'The page shows a gap instead.',
    recommendation: 'Correct the address of the image, or remove it.',
    check: ofFacts(({ images }) => images.broken),
  },
  {
    id: 'image_size_missing',
    category: 'media',
    severity: 'low',
    title: 'Images without a size',
    description: 'The content below them jumps when they load.',
    recommendation: 'Give width and height, or an aspect-ratio in CSS.',
    check: ofFacts(({ images }) => images.withoutSize),
  },
]
