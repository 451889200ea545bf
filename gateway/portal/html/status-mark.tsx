/** The status of one of the portal's objects, in words. */
import { StateMark } from '../../html/parts.tsx'
import { toneOf, toWords } from '../words/words.ts'

export const StatusMark = ({ of, label }: { of: string; label?: string }) => (
  <StateMark tone={toneOf(of)}>{label ?? toWords(of)}</StateMark>
)
