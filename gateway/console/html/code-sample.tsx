/** A block of code with a button that copies it; the button is shown by a script. */
export interface CodeSampleProps {
  /** Unique on the page. */
  readonly id: string
  readonly label: string
  readonly text: string
}

export const CodeSample = ({ id, label, text }: CodeSampleProps) => (
  <div class="sample">
    <div class="sample-head">
      <h3>{label}</h3>
      <CopyButton of={id} what={label} />
    </div>
    <pre tabindex={0} aria-label={label}>
      <code id={id}>{text}</code>
    </pre>
  </div>
)

/** Copies the text of the element with the id `of`. */
export const CopyButton = ({ of, what }: { of: string; what: string }) => (
  <button type="button" class="button plain copy" data-copies={of} hidden>
    Copy<span class="hidden"> {what}</span> <span role="status" />
  </button>
)
