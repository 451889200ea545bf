import { ofFacts, type PageRule } from './rule.ts'

export const structuredDataPageRules: readonly PageRule[] = [
  {
    id: 'json_ld_invalid',
    category: 'structured_data',
    severity: 'high',
    title: 'Structured data that cannot be read',
    description: 'The JSON-LD of the page is not valid JSON, so the whole block is ignored.',
    recommendation: 'Correct the syntax; validator.schema.org shows where the error is.',
    check: ofFacts(({ jsonLd }) => jsonLd.invalid),
  },
  {
    id: 'json_ld_incomplete',
    category: 'structured_data',
    severity: 'medium',
    title: 'Structured data without a vocabulary or a type',
    description: 'Without @context and @type nothing says what the data means.',
    recommendation: 'Add "@context": "https://schema.org" and an "@type".',
    check: ofFacts(({ jsonLd }) => jsonLd.incomplete),
  },
]
