/** A block of code with a button that copies it; the button is shown by a script. */
import type { Markup } from '../markup.ts'

export interface CodeSampleProps {
  /** Unique on the page. */
  readonly id: string
  readonly label: string
  readonly text: string
}

export const CodeSample = ({ id, label, text }: CodeSampleProps) => (
  <div class="sample">
    <div class="sample-head">
      <p class="sample-label">{label}</p>
      <CopyButton of={id} what={label} />
    </div>
    <pre tabindex={0} aria-label={label}>
      <code id={id}>{text}</code>
    </pre>
  </div>
)

/** Says where samples take the key from, unless they use the well-known development key. */
export const KeyVariableHint = ({ usesDevKey }: { usesDevKey: boolean }) =>
  usesDevKey ? (
    <></>
  ) : (
    <p class="quiet">
      The key is read from the environment: <code>export TROUPE_KEY=trp_…</code>
    </p>
  )

/** A collapsed sample, for pages with several samples of which few are read. */
export const FoldedSample = ({
  id,
  label,
  text,
  isOpen,
}: CodeSampleProps & { isOpen: boolean }) => (
  <details class="sample" open={isOpen} id={`${id}-fold`}>
    <summary>{label}</summary>
    <CopyButton of={id} what={label} />
    <pre tabindex={0} aria-label={label}>
      <code id={id}>{text}</code>
    </pre>
  </details>
)

/** Copies the text of the element with the id `of`. */
export const CopyButton = ({
  of,
  what,
  children,
}: {
  of: string
  /** After the word Copy, for screen readers. */
  what: string
  children?: Markup
}) => (
  <button type="button" class="button plain copy" data-copies={of} hidden>
    {children ?? (
      <>
        Copy<span class="hidden"> {what}</span>
      </>
    )}{' '}
    <span role="status" />
  </button>
)
