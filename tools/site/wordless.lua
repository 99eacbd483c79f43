-- How many parameters, and options and fields, of the reference have a type and no sentence. The numbers may only fall:
-- spec/project/site_spec.lua names those that lack words if there are more, and asks for the new number if there are
-- fewer.
return { parameters = 0, options = 0 }
