# rdmanav completes its own command line: the words up to the cursor go in, what may stand there comes out.
use str
set edit:completion:arg-completer[rdmanav] = {|@words|
  rdmanav completions elvish -- $@words 2>/dev/null | from-lines | each {|line|
    var value about = (str:split &max=2 "\t" $line"\t")
    edit:complex-candidate $value &display=$value' '(str:trim-space $about)
  }
}
